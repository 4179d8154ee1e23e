// The terminal of a session is recorded with it, whichever runtime it has, and can be read after its end.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

afterEach(async () => {
  await waitFor('no recorder', () => !existsSync(join(world.temp.home, '.ao', 'run', 'tmux-recorder.lock')))
  expect(await world.temp.cleanup()).toEqual([])
})

interface Log {
  lines: string[]
  ended: string | null
}

describe.each(['process', 'tmux'] as const)('the terminal of a session with runtime %s', (runtime) => {
  it('is there while it runs, after its end and in the archive', async () => {
    world = createAoWorld({
      config: `defaults: { runtime: ${runtime}, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: local } }\n`,
    })
    world.temp.env.AO_RECORDING = 'on'
    world.temp.env.SOME_TOKEN = 'correct-horse-battery'
    const prompt = 'demo: say the first words\ndemo: say correct-horse-battery\ndemo: wait 600s'
    expect((await world.ao(['spawn', '--prompt', prompt])).code).toBe(0)
    const log = () => world.json<Log>(['session', 'log', 'app-1', '--all'])
    await waitFor('its words', async () => (await log()).lines.join('\n').includes('the first words'))
    await world.ao(['session', 'kill', 'app-1', '--purge'])
    const archived = await waitFor('its end', async () => {
      const found = await log()
      return found.ended !== null && found
    })
    expect(archived.lines.join('\n')).toContain('the first words')
    expect(stored()).not.toContain('correct-horse-battery')

    const cast = await world.ao(['session', 'log', 'app-1', '--cast'])
    const [header, ...events] = cast.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(header).toMatchObject({ version: 2, width: 120, height: 40 })
    expect(events.every(([time, kind]) => time >= 0 && 'orm'.includes(kind))).toBe(true)

    if (runtime === 'tmux') return
    expect((await world.ao(['session', 'log', 'app-1', '--play'])).stderr).toContain('Playing needs a terminal')
    expect((await world.ao(['session', 'log', 'app-9'])).code).toBe(4)
  }, 60_000)
})

function stored(): string {
  const data = join(world.temp.home, '.agent-orchestrator')
  const project = readdirSync(data).find((name) => name.endsWith('-app'))!
  const directory = join(data, project, 'state', 'app-1', 'terminal')
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('')
}
