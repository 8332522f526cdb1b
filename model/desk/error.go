package desk

import "binnacle/model"

// ErrorOf is err as it is shown and as a wire carries it: its code, one sentence
// and a hint; nil for nil.
func ErrorOf(err error) *model.Error {
	if err == nil {
		return nil
	}
	return &model.Error{Code: model.CodeOf(err), Message: err.Error(), Hint: model.HintOf(err)}
}
