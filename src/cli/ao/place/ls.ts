// `ao place ls`: where agents can run besides this machine.

import { formatAge } from '../../../core/text/format-age.ts'
import type { PlaceInfo } from '../../../manager/types.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'

function stateOf({ full, unreachable }: PlaceInfo, now: Date): string {
  if (unreachable) return `unreachable for ${formatAge(unreachable.since, now)}: ${toOneLine(unreachable.why)}`
  return full ?? 'takes sessions'
}

export const placeLsCommand = defineCommand({
  name: 'place ls',
  about: 'List the places where agents can run besides this machine',
  details: 'Places are written into the configuration: see docs/places.md.',
  options: { json: JSON_OPTION },
  json: '{ places: [{ name, type, sessions: [id], maxSessions, draining, full, unreachable: { since, why } | null }] }',
  async run({ options }, io) {
    const ao = await openAo(io)
    const places = await ao.manager.listPlaces()
    if (options.json) return void io.json({ places })
    if (places.length === 0) return void io.print('No places. Every agent runs on this machine; see docs/places.md')
    const lines = renderTable<PlaceInfo>(
      [
        { title: 'PLACE', text: ({ name }) => name, paint: (text) => io.style.bold(text) },
        { title: 'TYPE', text: ({ type }) => type },
        {
          title: 'SESSIONS',
          text: ({ sessions, maxSessions }) => `${sessions.length}${maxSessions === null ? '' : ` of ${maxSessions}`}`,
        },
        { title: 'STATE', text: (place) => stateOf(place, io.clock.now()), min: 8 },
      ],
      places,
      { width: io.width(), paintTitle: io.style.dim },
    )
    io.printLines(lines)
  },
})
