// Devices with a token of their own: pairing, listing and revoking them. Only for those who may do everything.
import { doneAnswer } from '../../contract/dashboard/answers.ts'
import { devicesAnswer, newDeviceBody, pairingAnswer } from '../../contract/dashboard/devices.ts'
import { repositoryBase } from '../../contract/dashboard/page-paths.ts'
import { emptyBody } from '../../contract/dashboard/requests.ts'
import { AoError } from '../../contract/errors.ts'
import { ownOrigin } from '../access/listen-address.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'
import { createPairingLink } from './pairing-link.ts'
import { drawQrCode } from './qr-code.ts'

export const DEVICE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/devices',
    summary: 'Paired devices, with what each may do and when it was last here',
    answer: devicesAnswer,
    handle: async ({ context, caller }) => {
      const own = caller.kind === 'device' ? caller.id : null
      return { devices: context.access.devices.list().map((device) => ({ ...device, isThis: device.id === own })) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/devices',
    summary: 'A link that pairs one device, good once and for ten minutes, and its QR code',
    notIdempotent: true,
    body: newDeviceBody,
    answer: pairingAnswer,
    handle: async ({ context, request, body }) => {
      const { config, access } = context
      const pairing = createPairingLink({
        ...body,
        reached: access.reach.reached,
        origin: ownOrigin(config, request.socket.localPort ?? config.port),
        base: baseOf(context),
        pairings: access.pairings,
      })
      return { ...pairing, rows: await drawQrCode(pairing.link) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/devices/:id/revoke',
    summary: 'Revoke a device: its token is worth nothing from now on, and its open connections end',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ context, params }) => {
      if (!context.access.devices.revoke(params.id))
        throw new AoError('DEVICE_NOT_FOUND', `There is no device ${params.id}`)
      context.connections.check()
      context.board.publishStale({ what: 'devices' })
      context.log.info(`device ${params.id} was revoked`)
      return { ok: true as const }
    },
  }),
]

function baseOf({ access, paths }: DashboardContext): string {
  return access.cookie === `ao-${paths.hash}` ? '' : repositoryBase(paths.hash)
}
