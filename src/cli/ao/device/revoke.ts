// `ao device revoke`: the token of a device is worth nothing from now on.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openPageDevices } from './open-devices.ts'

export const deviceRevokeCommand = defineCommand({
  name: 'device revoke',
  about: 'Revoke a device and close its open pages',
  details: 'What the device has open ends within ten seconds.',
  args: { device: { about: 'Its id, or its name when no other device has the same', required: true } },
  options: { json: JSON_OPTION },
  json: '{ device: { id, name, right, pairedAt, seenAt } }',
  async run({ args, options }, io) {
    const { devices } = await openPageDevices(io)
    const all = devices.list()
    const found = all.find(({ id }) => id === args.device) ?? onlyOne(all.filter(({ name }) => name === args.device))
    if (!found || !devices.revoke(found.id))
      throw new AoError('DEVICE_NOT_FOUND', `There is no device ${args.device}`, { details: { device: args.device } })
    if (options.json) return void io.json({ device: found })
    io.print(`Revoked ${found.name} (${found.id})`)
  },
})

function onlyOne<T extends { id: string }>(named: T[]): T | undefined {
  if (named.length < 2) return named[0]
  throw new AoError('USAGE', `${named.length} devices have this name: ${named.map(({ id }) => id).join(', ')}`, {
    hint: 'Name one by its id: ao device revoke <id>',
  })
}
