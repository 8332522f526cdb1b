// Package importer reads other programs' ledgers into this one: whole or not at
// all, once, with a report of what could not be taken as it was. A program that
// can be read has a package below it, which hands over an Importer.
package importer
