package directive

import (
	"strings"
	"unicode/utf8"

	"binnacle/model"
)

// Bounds of what is pushed.
const (
	MaxBody       = 128 << 10 // bytes of a body
	MaxWhy        = 4 << 10   // bytes of a reason
	MaxImportance = 9         // steps up or down
	MaxBlockers   = 256       // ids that one directive may wait for
)

// CheckBody refuses a body that is blank, larger than MaxBody or no UTF-8.
func CheckBody(body string) error {
	switch {
	case len(body) > MaxBody:
		return model.Errorf(model.CodeInvalid, "the body has %d bytes; at most %d fit", len(body), MaxBody).
			WithHint("store it in a file and name the file in the body")
	case !utf8.ValidString(body):
		return model.Errorf(model.CodeInvalid, "the body is not valid UTF-8").
			WithHint("store it in a file and name the file in the body")
	case strings.TrimSpace(body) == "":
		return model.Errorf(model.CodeInvalid, "empty body")
	}
	return nil
}

// CheckWhy refuses a reason of more than MaxWhy bytes or one that is no UTF-8;
// none is fine.
func CheckWhy(why string) error {
	switch {
	case len(why) > MaxWhy:
		return model.Errorf(model.CodeInvalid, "the reason has %d bytes; at most %d fit", len(why), MaxWhy)
	case !utf8.ValidString(why):
		return model.Errorf(model.CodeInvalid, "the reason is not valid UTF-8")
	}
	return nil
}

// CheckImportance refuses what is beyond MaxImportance steps up or down.
func CheckImportance(n int64) error {
	if n < -MaxImportance || n > MaxImportance {
		return model.Errorf(model.CodeInvalid, "the importance %d is out of range", n).
			WithHint("write a whole number from -%d to %d", MaxImportance, MaxImportance)
	}
	return nil
}
