import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getSession, readHookRuns } from '../../src/agh/runtime.ts'
import { AoError } from '../../src/contract/errors.ts'
import { type AghHomeOptions, createAghHome } from './agh-home.ts'

/** A failing start: everything that says why, wherever it is kept or shown. */
async function failedStart(options: AghHomeOptions) {
  const agh = createAghHome(options)
  const error = (await agh.create().catch((thrown: unknown) => thrown)) as AoError
  expect(error).toBeInstanceOf(AoError)
  const id = String(error.details.sessionId)
  const result = {
    thrown: error.message,
    meta: readFileSync(join(agh.context.paths.sessions, id, 'meta.json'), 'utf8'),
    view: JSON.stringify(await getSession(agh.context, id)),
    events: JSON.stringify(await agh.events(id)),
    hooks: JSON.stringify(await readHookRuns(agh.context, id)),
    log: agh.logged.join(''),
  }
  expect(await agh.cleanup()).toEqual([])
  return result
}

describe('why a session stopped', () => {
  it('S4.75 is bounded and holds no secret, wherever it is kept or shown', async () => {
    const result = await failedStart({ agent: 'init-huge' })
    for (const [place, text] of Object.entries(result)) {
      expect(text, place).not.toContain('hunter22')
      expect(text.length, place).toBeLessThan(20_000)
    }
    expect(result.view).toContain('"stop_detail":"initialize was refused')
  })

  it('S4.75 the same when a hook says it', async () => {
    const hooks = [
      { event: 'session.pre_create', command: "sh -c 'echo password=hunter$((20+2)); exit 3'", required: true },
    ]
    const result = await failedStart({ config: { hooks } })
    for (const [place, text] of Object.entries(result)) expect(text, place).not.toContain('hunter22')
    expect(result.view).toContain('password=[redacted]')
  })
})
