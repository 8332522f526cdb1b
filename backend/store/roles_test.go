package store_test

func childReadOnly(path, extra string) error { return nil }
func childMigrate(path, extra string) error { return nil }
func childInit(path, extra string) error { return nil }
func childLock(path, extra string) error { return nil }
