// `ao device add`: a QR code that pairs a phone, or a token for a program.
import { DEVICE_RIGHTS, type DeviceRight } from '../../../contract/dashboard/devices.ts'
import { AoError } from '../../../contract/errors.ts'
import { cleanDeviceName } from '../../../core/access/device-name.ts'
import { describeRight } from '../../../core/access/device-rights.ts'
import { ownOrigin } from '../../../dashboard/access/listen-address.ts'
import { createPairingLink } from '../../../dashboard/devices/pairing-link.ts'
import { drawQrCode } from '../../../dashboard/devices/qr-code.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { type OpenedDevices, openPageDevices } from './open-devices.ts'

export const deviceAddCommand = defineCommand({
  name: 'device add',
  about: 'Pair a phone or another computer with the dashboard, by QR code',
  details:
    'The link behind the QR code is good once, for ten minutes. --can look: read everything; answer: also answer agents and send them messages; full: everything that the page can do.',
  args: { name: { about: 'What the device is called in lists and histories', required: true } },
  options: {
    can: { value: 'right', about: 'look, answer or full (default answer)' },
    token: { about: 'Print a token for a program instead of a link for a browser' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao device add "my phone"', about: 'Show the QR code to its camera' },
    { line: 'ao device add wall --can look --token', about: 'A token for a program that only reads' },
  ],
  json: '{ name, right, link, problem } or { device: { id, name, right, pairedAt }, token }',
  async run({ args, options }, io) {
    const right = readRight(options.can)
    const opened = await openPageDevices(io)
    if (options.token) return void addToken(opened, { name: args.name, right }, options.json, io)
    if (opened.running === null)
      throw new AoError('STATE_REFUSED', 'The dashboard is not running, so nothing can be paired with it', {
        hint: 'Start it with: ao start',
      })
    const { config, pairings, base, running } = opened
    const pairing = createPairingLink({
      reached: running.reached ?? null,
      origin: ownOrigin(config, running.port),
      base,
      pairings,
      name: args.name,
      right,
    })
    if (options.json) return void io.json({ ...pairing, right })
    io.printLines(qrLines(await drawQrCode(pairing.link)))
    io.print(pairing.link)
    io.note(`  open it on the device; it works once, within ten minutes. The device may ${describeRight(right)}`)
    if (pairing.problem) io.note(`${io.noteStyle.yellow('warning:')} ${pairing.problem}`)
  },
})

function readRight(text: string | undefined): DeviceRight {
  const right = DEVICE_RIGHTS.find((one) => one === (text ?? 'answer'))
  if (right) return right
  throw new AoError('USAGE', `--can ${text} is not a right`, { hint: 'Give one of: look, answer, full' })
}

function addToken(
  { devices }: OpenedDevices,
  wanted: { name: string; right: DeviceRight },
  asJson: boolean,
  io: Io,
): void {
  const name = cleanDeviceName(wanted.name)
  if (name === null) throw new AoError('USAGE', 'A device needs a name')
  const { device, token } = devices.add({ name, right: wanted.right })
  if (asJson) {
    io.json({ device, token })
    return
  }
  io.print(token)
  io.note(`  ${device.name} (${device.id}) may ${describeRight(device.right)}. The token is shown only now`)
}

// A QR code in a terminal: two rows of it in each line. The light modules are drawn, because most terminals are dark; cameras read
// it the other way round too.

const QUIET = 2

/** Rows of 0 and 1; 1 is dark. */
export function qrLines(rows: readonly string[]): string[] {
  const width = (rows[0]?.length ?? 0) + 2 * QUIET
  const empty = Array.from({ length: QUIET }, () => '0'.repeat(width))
  const side = '0'.repeat(QUIET)
  const padded = [...empty, ...rows.map((row) => `${side}${row}${side}`), ...empty]
  const lines: string[] = []
  for (let index = 0; index < padded.length; index += 2) {
    const [upper, lower = ''] = padded.slice(index, index + 2) as [string, string?]
    lines.push([...upper].map((module, column) => BLOCKS[`${module}${lower[column] ?? '1'}`]).join(''))
  }
  return lines
}

const BLOCKS: Readonly<Record<string, string>> = { '00': '█', '01': '▀', '10': '▄', '11': ' ' }
