// A signed request that starts work: POST /api/webhooks/trigger/<project>/<name>. The signature covers the time and the body, so that
// nobody can make one, change one, or send an old one again.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { WebhookRequest } from '../../slots/scm.ts'

export interface Answer {
  status: number
  body: Record<string, unknown>
}

export interface TriggerContext {
  config: OrchestratorConfig
  now(): Date
  note(
    project: string,
    name: string,
    event: { of: string; text: string },
  ): Promise<'noted' | 'repeated' | 'paused' | 'full'>
}

/** How far its time may be from ours: what is captured is of no use for long, and remembered until then. */
const LONGEST_MS = 5 * 60_000
const SHORTEST_SECRET = 16

export async function answerTrigger(
  { config, now, note }: TriggerContext,
  { project, name }: { project: string; name: string },
  { headers, body }: WebhookRequest,
): Promise<Answer> {
  const triggers = Object.hasOwn(config.projects, project) ? config.projects[project]!.triggers : undefined
  const secret = triggers && Object.hasOwn(triggers, name) ? triggers[name]!.secret : undefined
  // Which triggers there are is nobody's business who cannot sign.
  const given = /^sha256=([0-9a-f]{64})$/.exec(headers['x-ao-signature-256'] ?? '')?.[1]
  const time = headers['x-ao-timestamp'] ?? ''
  const key = secret !== undefined && secret.length >= SHORTEST_SECRET ? secret : null
  const expected = createHmac('sha256', key ?? 'no key')
    .update(`${time}.`)
    .update(body)
    .digest()
  const isSigned = given !== undefined && timingSafeEqual(Buffer.from(given, 'hex'), expected)
  if (key === null || !isSigned) return refused(401, 'Its signature is wrong, or there is no such trigger')
  const age = Math.abs(now().getTime() - Number(time) * 1000)
  if (!/^[0-9]{9,11}$/.test(time) || !(age <= LONGEST_MS)) return refused(401, 'Its time is too far from ours')
  const of = `request ${createHash('sha256').update(given!).digest('hex').slice(0, 16)}`
  const outcome = await note(project, name, { of, text: body.toString('utf8') })
  if (outcome === 'full') return refused(429, 'Too many requests wait already')
  if (outcome === 'paused') return refused(409, 'It is paused')
  return { status: outcome === 'repeated' ? 200 : 202, body: { ok: true, repeated: outcome === 'repeated' } }
}

export function refused(status: number, message: string): Answer {
  return { status, body: { error: { message } } }
}

/** Known only now: in the file it is usually the name of a variable. A request is not signed for one trigger, so no two share a secret. */
export function refuseWeakTriggers(config: OrchestratorConfig): void {
  const owners = new Map<string, string>()
  for (const [project, { triggers = {} }] of Object.entries(config.projects)) {
    for (const [name, { secret }] of Object.entries(triggers)) {
      if (secret === undefined) continue
      const what = `projects.${project}.triggers.${name}.secret`
      if (secret.length < SHORTEST_SECRET)
        throw new AoError('CONFIG_INVALID', `${what} must have at least ${SHORTEST_SECRET} characters`)
      const other = owners.get(secret)
      if (other !== undefined)
        throw new AoError(
          'CONFIG_INVALID',
          `${what} is the same as ${other}: a request for one would start the other, too`,
        )
      owners.set(secret, what)
    }
  }
}
