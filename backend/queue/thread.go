package queue

import (
	"context"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

const restChildren = `WHERE parent = $1 ORDER BY priority, id LIMIT $2`

// Thread returns the family of a directive: the root above it and everything
// below that, parents before their children. At most model.MaxThread members
// are listed and counted; More says that there are others.
func (v *view) Thread(ctx context.Context, id int64) (directive.Thread, error) {
	var out directive.Thread
	err := v.read(ctx, func(r store.Reader, _ instant) (err error) {
		out, err = thread(r, id)
		return err
	})
	return out, err
}

func thread(r store.Reader, id int64) (directive.Thread, error) {
	root, err := find(r, id)
	if err != nil {
		return directive.Thread{}, err
	}
	seen := map[int64]bool{root.ID: true}
	for root.Parent != 0 && !seen[root.Parent] && len(seen) < directive.MaxThread {
		up, err := readOne(r, root.Parent)
		if model.CodeOf(err) == model.CodeNotFound && err != nil {
			break
		}
		if err != nil {
			return directive.Thread{}, err
		}
		seen[up.ID] = true
		root = up
	}
	t := directive.Thread{Root: root.ID}
	root = item(root, false).Directive
	stack := []directive.Directive{root}
	listed := map[int64]bool{root.ID: true}
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(t.Items) == directive.MaxThread {
			t.More = int64(len(stack)) + 1
			break
		}
		t.Items = append(t.Items, d)
		t.Total++
		if !d.Final() {
			t.Open++
		}
		children, err := directives(r, restChildren, d.ID, directive.MaxThread)
		if err != nil {
			return directive.Thread{}, err
		}
		for i := len(children) - 1; i >= 0; i-- { // the first child comes off the stack first
			if c := children[i]; !listed[c.ID] {
				listed[c.ID] = true
				stack = append(stack, c)
			}
		}
	}
	return t, nil
}
