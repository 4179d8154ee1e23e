// Light, dark, or following the system; remembered in this browser.
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'ao.theme'

export function readTheme(): Theme {
  const saved = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === saved) ?? 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function saveTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
}
