package ui

import (
	"context"
	"testing"

	"binnacle/model/desk"
)

// wired is a desk at the far end of a wire: every value goes through JSON there
// and back, and an error is what JSON carries of it. The cockpit of the tests
// stands on one, so that what it shows and does needs nothing that stays at home.
type wired struct {
	desk.Desk
	t testing.TB
}

// over is v as it arrives.
func over[T any](w wired, v T) (back T) {
	w.t.Helper()
	b, err := desk.Marshal(v)
	if err == nil {
		err = desk.Unmarshal(b, &back)
	}
	if err != nil {
		w.t.Errorf("%T can't cross: %v", v, err)
	}
	return back
}

// answer is what came of a call, as it arrives.
func answer[T any](w wired, v T, err error) (T, error) {
	w.t.Helper()
	if err != nil {
		var none T
		e := over(w, *desk.ErrorOf(err))
		return none, &e
	}
	return over(w, v), nil
}

func (w wired) Snapshot(ctx context.Context) (desk.Snapshot, error) {
	s, err := w.Desk.Snapshot(ctx)
	return answer(w, s, err)
}

func (w wired) Page(ctx context.Context, r desk.PageRequest) (desk.Page, error) {
	p, err := w.Desk.Page(ctx, over(w, r))
	return answer(w, p, err)
}

func (w wired) Detail(ctx context.Context, of desk.Ref) (desk.Detail, error) {
	d, err := w.Desk.Detail(ctx, over(w, of))
	return answer(w, d, err)
}

func (w wired) Do(ctx context.Context, a desk.Action) (desk.Outcome, error) {
	o, err := w.Desk.Do(ctx, over(w, a))
	return answer(w, o, err)
}

func (w wired) Undo(ctx context.Context, u desk.Undo) (desk.Outcome, error) {
	o, err := w.Desk.Undo(ctx, over(w, u))
	return answer(w, o, err)
}
