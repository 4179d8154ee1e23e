// What a device may do with the API. This is the only list: reading needs the least right, and a change that is not listed
// needs the full one, so a new route is closed to limited devices until somebody has considered it.
import { DEVICE_RIGHTS, type DeviceRight } from '../../contract/dashboard/devices.ts'

const EXCEPTIONS: Readonly<Record<string, DeviceRight>> = {
  // Who else is signed in concerns only who can change it.
  'GET /api/devices': 'full',
  // What the file says, for those who may change it. The effective settings are in /api/settings.
  'GET /api/config': 'full',
  'POST /api/sessions/:id/permission': 'answer',
  'POST /api/sessions/:id/send': 'answer',
  // What waits for an agent, and a turn that failed: who may send may correct it, too.
  'POST /api/sessions/:id/messages/:message/edit': 'answer',
  'POST /api/sessions/:id/messages/:message/withdraw': 'answer',
  'POST /api/sessions/:id/retry': 'answer',
  // These concern the device itself and nothing else.
  'POST /api/sign-out': 'look',
  'POST /api/push': 'look',
  'POST /api/push/remove': 'look',
  'POST /api/push/test': 'look',
}

export const LISTED_ROUTES: readonly string[] = Object.keys(EXCEPTIONS)

/** `path`: as in the route table, with `:name` for a variable part. */
export function neededRight({ method, path }: { method: string; path: string }): DeviceRight {
  const listed = `${method} ${path}`
  if (Object.hasOwn(EXCEPTIONS, listed)) return EXCEPTIONS[listed]!
  return method === 'GET' ? 'look' : 'full'
}

/** After "the device may". */
export function describeRight(right: DeviceRight): string {
  switch (right) {
    case 'look':
      return 'look at everything and change nothing'
    case 'answer':
      return 'look at everything, answer agents and send them messages'
    case 'full':
      return 'do everything that the page can do'
  }
}

export function hasRight(own: DeviceRight, needed: DeviceRight): boolean {
  return DEVICE_RIGHTS.indexOf(own) >= DEVICE_RIGHTS.indexOf(needed)
}
