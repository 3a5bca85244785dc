// Applies the stored theme before the first paint; a module would run too late. lib/theme.ts writes the same key.
try {
  const theme = localStorage.getItem('millrace.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the system theme applies.
}
