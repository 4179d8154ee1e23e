// The size of letters in terminals, remembered in this browser. null: as large as fits.
const KEY = 'ao.terminal-letters'
const SMALLEST = 7
const LARGEST = 28

export function readLetters(): number | null {
  const saved = Number(localStorage.getItem(KEY))
  return saved >= SMALLEST && saved <= LARGEST ? saved : null
}

export function saveLetters(size: number | null): void {
  if (size === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, String(size))
}

/** `now`: as they are drawn. */
export function otherLetters(now: number, step: 1 | -1): number {
  return Math.min(LARGEST, Math.max(SMALLEST, Math.round(now) + step))
}
