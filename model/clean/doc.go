// Package clean makes hostile text fit to be shown. What agents, tools and other
// machines write may hold control sequences, bidi and zero-width characters and
// broken UTF-8; every surface shows it through here and nowhere else, while the
// stored bytes stay as they were.
package clean
