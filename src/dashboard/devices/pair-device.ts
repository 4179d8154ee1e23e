// GET and POST /pair/<code>: what a phone opens after it has read the QR code. Opening it shows what the device will be able to
// do and changes nothing, because camera programs open links for their previews; the button on it pairs.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DEVICE_RIGHTS, type DeviceRight } from '../../contract/dashboard/devices.ts'
import { describeRight } from '../../core/access/device-rights.ts'
import { admitConnection } from '../../http/limit-connections.ts'
import { cookie } from '../access/sign-in.ts'
import type { DashboardContext } from '../server/context.ts'
import { sendSmallPage } from '../server/small-page.ts'
import type { Device } from './device-store.ts'

export const PAIR_PATH = '/pair/'
/** Browsers keep no cookie for longer; the device itself stays until it is revoked. */
const COOKIE_MS = 400 * 24 * 60 * 60 * 1000

type Wanted = Pick<Device, 'name' | 'right'>

/** The code is the permission. Forms of pages without a referrer do not name their origin, so nothing else is asked for. */
export function pairDevice(
  { access, board, log }: DashboardContext,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url = '' } = request
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    response.writeHead(405, { allow: 'GET, HEAD, POST' }).end()
    return
  }
  request.resume()
  const code = url.slice(PAIR_PATH.length).split('?')[0]!
  const wanted = readWanted(access.pairings.noteOf(code))
  if (wanted === null || (method === 'POST' && !access.pairings.take(code))) {
    sendSmallPage(response, 410, 'This link cannot be used', [USED])
    return
  }
  if (method !== 'POST') {
    const lines = [`It will be called: ${wanted.name}`, `It may ${describeRight(wanted.right)}.`]
    sendSmallPage(response, 200, 'Pair this device?', lines, 'Pair')
    return
  }
  admitConnection(request)
  const { device, token } = access.devices.add(wanted)
  log.info(`${device.name} (${device.id}) was paired with the right: ${device.right}`)
  board.publishStale({ what: 'devices' })
  // The page of the repository whose address the link has.
  response.writeHead(303, { location: '../', 'set-cookie': cookie(access, request, token, COOKIE_MS) }).end()
}

const USED = 'It was used already, or is older than ten minutes. Make another one with: ao device add'

export function writeWanted({ name, right }: Wanted): string {
  return JSON.stringify([name, right])
}

function readWanted(note: string | null): Wanted | null {
  if (note === null) return null
  const [name, right] = JSON.parse(note) as [string, DeviceRight]
  return DEVICE_RIGHTS.includes(right) ? { name, right } : null
}
