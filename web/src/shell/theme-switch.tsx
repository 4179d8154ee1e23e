// System, light or dark.
import { useState } from 'react'
import { Icon, type IconName } from '../ui/icon.tsx'
import { readTheme, saveTheme, THEMES, type Theme } from './theme.ts'

const ICONS: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' }
const LABELS: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' }

export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme)
  return (
    <fieldset className="flex flex-col gap-0.5 rounded-md bg-sunken p-0.5 xl:flex-row max-md:flex-row">
      <legend className="sr-only">Colours</legend>
      {THEMES.map((one) => (
        <label
          key={one}
          title={LABELS[one]}
          className="flex min-h-6 flex-1 cursor-pointer items-center justify-center rounded text-muted has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:min-h-9"
        >
          <input
            type="radio"
            name="theme"
            checked={theme === one}
            onChange={() => {
              setTheme(one)
              saveTheme(one)
            }}
            className="sr-only"
          />
          <Icon name={ICONS[one]} className="size-3.5" />
          <span className="sr-only">{LABELS[one]}</span>
        </label>
      ))}
    </fieldset>
  )
}
