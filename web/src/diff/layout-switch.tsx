// One column or two, remembered in this browser. Narrow screens always show one.
import { useState } from 'react'
import { useMedia } from '../ui/use-media.ts'

export type DiffLayout = 'unified' | 'split'

const KEY = 'ao.diff'
const WIDE = '(min-width: 1024px)'

export function useLayout(): [DiffLayout, (layout: DiffLayout) => void] {
  const [chosen, setChosen] = useState<DiffLayout>(() => (localStorage.getItem(KEY) === 'split' ? 'split' : 'unified'))
  const isWide = useMedia(WIDE)
  function choose(layout: DiffLayout): void {
    localStorage.setItem(KEY, layout)
    setChosen(layout)
  }
  return [isWide ? chosen : 'unified', choose]
}

export function LayoutSwitch({ layout, onChange }: { layout: DiffLayout; onChange: (layout: DiffLayout) => void }) {
  return (
    <fieldset className="flex rounded-md bg-sunken p-0.5 text-xs">
      <legend className="sr-only">Show the diff</legend>
      {(['unified', 'split'] as const).map((one) => (
        <label
          key={one}
          className="flex h-6 cursor-pointer items-center rounded px-2 text-muted has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input type="radio" className="sr-only" checked={layout === one} onChange={() => onChange(one)} />
          {one === 'unified' ? 'Unified' : 'Side by side'}
        </label>
      ))}
    </fieldset>
  )
}
