package ui

import "binnacle/model/redact"

// Place says what the cockpit is open on.
type Place struct {
	Workspace string // the project's folder, as it is shown
	ReadOnly  string // why changes are refused; "" when they are not
	CrashDir  string
	// Redactor finds secrets in what is typed, so that a form can refuse them
	// while it is open; nil finds none.
	Redactor *redact.Redactor
}
