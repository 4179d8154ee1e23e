// `ao device ls`: who has a token of their own for the dashboard.
import { formatAge } from '../../../core/text/format-age.ts'
import type { SeenDevice } from '../../../dashboard/devices/device-store.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { openPageDevices } from './open-devices.ts'

export const deviceLsCommand = defineCommand({
  name: 'device ls',
  about: 'List paired devices, their rights and when they were last seen',
  options: { json: JSON_OPTION },
  json: '{ devices: [{ id, name, right, pairedAt, seenAt }] }',
  async run({ options }, io) {
    const devices = (await openPageDevices(io)).devices.list()
    if (options.json) return void io.json({ devices })
    if (devices.length === 0) return void io.print('No devices. Pair a phone with: ao device add "my phone"')
    const age = (at: string) => formatAge(new Date(at), io.clock.now())
    const lines = renderTable<SeenDevice>(
      [
        { title: 'DEVICE', text: ({ id }) => id },
        { title: 'NAME', text: ({ name }) => name, paint: (text) => io.style.bold(text), min: 8 },
        { title: 'MAY', text: ({ right }) => right },
        { title: 'PAIRED', text: ({ pairedAt }) => age(pairedAt) },
        { title: 'LAST SEEN', text: ({ seenAt }) => age(seenAt) },
      ],
      devices,
      { width: io.width(), paintTitle: io.style.dim },
    )
    io.printLines(lines)
  },
})
