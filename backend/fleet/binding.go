package fleet

import (
	"os"
	"path/filepath"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// binding says which change a work tree is the view of. It stands in the
// user's state folder, not in the work tree.
type binding struct {
	Path   string `json:"path"`
	Change string `json:"change"`
	Base   string `json:"base"`
}

func (f *Fleet) bindingPath(root string) string {
	return filepath.Join(f.dir, "views", statefile.Hash(root)+".json")
}

// boundChange returns the zero binding where the work tree is nobody's view.
func (f *Fleet) boundChange(root string) binding {
	var b binding
	if err := statefile.ReadJSON(f.bindingPath(root), &b); err != nil || model.CheckChange(b.Change) != nil {
		return binding{}
	}
	return b
}

// View is the change that this work tree is bound to, "" for none.
func (f *Fleet) View() string { return f.boundChange(f.repo.Root).Change }

func (f *Fleet) bind(root string, c model.Change) error {
	if err := statefile.MakeDir(filepath.Join(f.dir, "views")); err != nil {
		return err
	}
	return statefile.WriteJSON(f.bindingPath(root), binding{root, c.ID, c.Base})
}

func (f *Fleet) unbind(root string) error {
	err := os.Remove(f.bindingPath(root))
	if os.IsNotExist(err) {
		return nil
	}
	return statefile.Error(err)
}
