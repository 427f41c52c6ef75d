"""What Python source uses of other packages: of the run's own modules, and of the releases of packages."""
