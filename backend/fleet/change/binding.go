package change

import (
	"os"
	"path/filepath"

	"binnacle/backend/fleet/statefile"
	"binnacle/model/fleetmap"
)

// Binding says which change a work tree is the view of. It stands in the
// user's state folder, not in the work tree.
type Binding struct {
	Path   string `json:"path"`
	Change string `json:"change"`
	Base   string `json:"base"`
}

// Bindings is the folder that keeps them, one file a work tree.
type Bindings string

func (b Bindings) path(root string) string {
	return filepath.Join(string(b), statefile.Hash(root)+".json")
}

// Of is the zero binding where the work tree is nobody's view.
func (b Bindings) Of(root string) Binding {
	var at Binding
	if err := statefile.ReadJSON(b.path(root), &at); err != nil || fleetmap.CheckChange(at.Change) != nil {
		return Binding{}
	}
	return at
}

// Bind makes the work tree the view of a change.
func (b Bindings) Bind(root string, c fleetmap.Change) error {
	if err := statefile.MakeDir(string(b)); err != nil {
		return err
	}
	return statefile.WriteJSON(b.path(root), Binding{root, c.ID, c.Base})
}

// Unbind makes it nobody's view.
func (b Bindings) Unbind(root string) error {
	err := os.Remove(b.path(root))
	if os.IsNotExist(err) {
		return nil
	}
	return statefile.Error(err)
}
