// All shortcuts, and the switch for them.
import { useState } from 'react'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Kbd } from '../ui/text/kbd.tsx'
import { DESTINATIONS } from './navigation.ts'
import { areShortcutsOn, switchShortcuts } from './use-shortcuts.ts'

const GROUPS: ReadonlyArray<{ title: string; keys: ReadonlyArray<[keys: string[], what: string]> }> = [
  {
    title: 'On the board and in the queue',
    keys: [
      [['j', 'k'], 'Next and previous card'],
      [['h', 'l'], 'Column to the left and to the right'],
      [['Enter'], 'Open the session'],
      [['s'], 'Answer or send a message'],
      [['y'], 'Allow what it asks for, this once'],
      [['m'], 'Merge'],
      [['x'], 'Kill, with a second step'],
      [['r'], 'Restore'],
      [['p'], 'Pin or unpin'],
      [['/'], 'Filter'],
      [['n'], 'Spawn a session'],
    ],
  },
  {
    title: 'In a diff',
    keys: [
      [['n', 'p'], 'Next and previous file'],
      [['j', 'k'], 'Next and previous line'],
      [['c'], 'Comment on the line'],
      [['v'], 'Mark the file as viewed'],
    ],
  },
  {
    title: 'Everywhere',
    keys: [
      [['e'], 'Next who needs you'],
      [['Ctrl', 'K'], 'Find and go to anything'],
      [['?'], 'This help'],
      ...DESTINATIONS.map(({ key, label }): [string[], string] => [['g', key], label]),
    ],
  },
]

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(areShortcutsOn)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <div className="gap-6 sm:columns-2">
        {GROUPS.map(({ title, keys }) => (
          <section key={title} className="mb-6 break-inside-avoid">
            <h3 className="mb-2 text-sm font-semibold">{title}</h3>
            <dl className="flex flex-col gap-1.5 text-sm">
              {keys.map(([names, what]) => (
                <div key={what} className="flex items-center gap-3">
                  <dt className="flex w-16 shrink-0 gap-1">
                    {names.map((name) => (
                      <Kbd key={name}>{name}</Kbd>
                    ))}
                  </dt>
                  <dd className="text-muted">{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="flex items-center gap-2 border-t pt-4 text-sm">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            switchShortcuts(event.target.checked)
            setOn(event.target.checked)
          }}
          className="size-4 accent-accent"
        />
        Shortcuts of single keys are on
      </label>
    </Dialog>
  )
}
