// Package export writes events for other programs: JSON, JSON lines or CSV.
package export
