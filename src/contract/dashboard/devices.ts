// Devices with a token of their own, as the page and the API see them.
import * as z from 'zod/mini'

export const DEVICE_RIGHTS = ['look', 'answer', 'full'] as const
/** look: read everything; answer: also answer agents and send them messages; full: as the person at this machine. */
export type DeviceRight = (typeof DEVICE_RIGHTS)[number]

/** GET /api/devices: oldest first. */
export const devicesAnswer = z.object({
  devices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      right: z.enum(DEVICE_RIGHTS),
      pairedAt: z.string(),
      seenAt: z.string(),
      /** The one that asks. */
      isThis: z.boolean(),
    }),
  ),
})
export type DeviceRow = z.infer<typeof devicesAnswer>['devices'][number]

/** GET /api/push */
export const pushAnswer = z.object({ publicKey: z.string() })
const endpoint = z.string().check(z.minLength(1), z.maxLength(2_000))
const base64 = (length: number) => z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{${length}}$`)))
/** POST /api/push: as the browser's own subscription says. */
export const pushBody = z.strictObject({
  endpoint,
  keys: z.strictObject({ p256dh: base64(87), auth: base64(22) }),
  sound: z.boolean(),
})
/** POST /api/push/remove and /test */
export const endpointBody = z.strictObject({ endpoint })

/** POST /api/devices */
export const newDeviceBody = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  right: z.enum(DEVICE_RIGHTS),
})
export const pairingAnswer = z.object({
  link: z.string(),
  name: z.string(),
  /** Why no other machine can open the link; null: one can. */
  problem: z.nullable(z.string()),
  /** Its QR code: a row of 0 and 1 each, 1 is dark. */
  rows: z.array(z.string()),
})
