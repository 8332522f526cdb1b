package store

import "database/sql/driver"

// Conversions from a column's value. A NULL is the zero value.

// AsInt is a number.
func AsInt(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

// AsText is text, whether it came as a string or as bytes.
func AsText(v driver.Value) string {
	switch s := v.(type) {
	case string:
		return s
	case []byte:
		return string(s)
	}
	return ""
}

// AsBytes is the same as bytes.
func AsBytes(v driver.Value) []byte {
	switch b := v.(type) {
	case []byte:
		return b
	case string:
		return []byte(b)
	}
	return nil
}

// Conversions to a column's value: absent is NULL.

// NullText is text that may be absent.
func NullText(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// NullInt is a number that may be absent.
func NullInt[T ~int64](n T) driver.Value {
	if n == 0 {
		return nil
	}
	return int64(n)
}
