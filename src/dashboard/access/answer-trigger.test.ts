import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { answerTrigger, refuseWeakTriggers, type TriggerContext } from './answer-trigger.ts'

const SECRET = 'a secret of some length'
const NOW = new Date('2026-01-01T00:00:00Z')
const TIME = String(NOW.getTime() / 1000)

function world(outcome: 'noted' | 'repeated' | 'paused' | 'full' = 'noted') {
  const noted: Array<{ of: string; text: string }> = []
  const triggers = {
    alert: { secret: SECRET, prompt: 'Look' },
    weak: { secret: 'short', prompt: 'x' },
    fix: { label: 'x' },
  }
  const context: TriggerContext = {
    config: { projects: { app: { triggers } } } as unknown as OrchestratorConfig,
    now: () => NOW,
    async note(_project, _name, event) {
      noted.push(event)
      return outcome
    },
  }
  const send = (change: { name?: string; body?: string; signed?: string; time?: string; secret?: string } = {}) => {
    const { name = 'alert', body = '{"disk":"full"}', time = TIME, secret = SECRET } = change
    const signature = createHmac('sha256', secret)
      .update(`${time}.${change.signed ?? body}`)
      .digest('hex')
    const headers = { 'x-ao-signature-256': `sha256=${signature}`, 'x-ao-timestamp': time }
    return answerTrigger(context, { project: 'app', name }, { headers, body: Buffer.from(body) })
  }
  return { noted, send, context }
}

it('writes down a signed request, once for each delivery', async () => {
  const { send, noted } = world()
  expect((await send()).status).toBe(202)
  expect((await send()).status).toBe(202)
  expect(noted.map(({ text }) => text)).toEqual(['{"disk":"full"}', '{"disk":"full"}'])
  // The same delivery has the same name: whoever writes it down knows it.
  expect(new Set(noted.map(({ of }) => of)).size).toBe(1)
  expect((await world('repeated').send()).status).toBe(200)
  expect([(await world('full').send()).status, (await world('paused').send()).status]).toEqual([429, 409])
})

it.each([
  ['another body', { body: '{"disk":"empty"}', signed: '{"disk":"full"}' }],
  ['another secret', { secret: 'another secret of some length' }],
  ['an old time', { time: String(NOW.getTime() / 1000 - 301) }],
  ['a time in the future', { time: String(NOW.getTime() / 1000 + 301) }],
  ['no time', { time: '' }],
  ['a time that is none', { time: `${TIME}e0` }],
  ['a trigger without a secret', { name: 'fix' }],
  ['a secret that can be guessed', { name: 'weak', secret: 'short' }],
  ['no such trigger', { name: 'constructor' }],
])('refuses %s, and writes nothing down', async (_what, change) => {
  const { send, noted } = world()
  expect((await send(change)).status).toBe(401)
  expect(noted).toEqual([])
})

it('takes no configuration in which a request for one trigger is one for another', () => {
  const config = (...secrets: string[]) => {
    const triggers = Object.fromEntries(secrets.map((secret, index) => [`t${index}`, { secret, prompt: 'x' }]))
    return {
      projects: { app: { triggers }, web: { triggers: { fix: { label: 'x' } } } },
    } as unknown as OrchestratorConfig
  }
  expect(() => refuseWeakTriggers(config(SECRET, `${SECRET}!`))).not.toThrow()
  expect(() => refuseWeakTriggers(config(SECRET, SECRET))).toThrow('would start the other')
  expect(() => refuseWeakTriggers(config('short'))).toThrow('at least 16')
})
