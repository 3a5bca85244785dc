// Applies the chosen theme before the first paint; a module would come too late. theme/theme.ts writes the same key.
try {
  const theme = localStorage.getItem('millrace.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden: then the system decides.
}
