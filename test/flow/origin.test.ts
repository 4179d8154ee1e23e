// Whose data it is: nothing is shown or changed for a configuration that the data directory does not belong to.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(() => buildAo())
beforeEach(() => {
  world = createAoWorld({
    config: 'port: 0\nprojects:\n  app:\n    path: .\n    agent: demo\n    tracker: local\n    scm: local\n',
  })
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

function projectDir(): string {
  const data = join(world.temp.home, '.agent-orchestrator')
  return join(data, readdirSync(data).find((name) => name.endsWith('-app'))!)
}

describe('.origin', () => {
  it('S1.15 is written by the first command that keeps something, whichever it is', async () => {
    expect(await world.ao(['issue', 'new', 'First'])).toMatchObject({ code: 0 })
    expect(readFileSync(join(projectDir(), '.origin'), 'utf8').trim()).toBe(join(world.repo, 'agent-orchestrator.yaml'))
  })

  it('S1.16 of another configuration makes every command fail, and nothing is changed', async () => {
    await world.ao(['issue', 'new', 'First'])
    await world.ao(['session', 'cleanup'])
    writeFileSync(join(projectDir(), '.origin'), `${join(world.temp.home, 'other', 'agent-orchestrator.yaml')}\n`)
    const before = readdirSync(projectDir(), { recursive: true }).sort()
    const commands = [
      ['session', 'ls'],
      ['status'],
      ['issue', 'ls'],
      ['issue', 'show', '1'],
      ['issue', 'new', 'Second'],
      ['issue', 'close', '1'],
      ['pr', 'ls'],
      ['pr', 'comment', '1', '--body', 'hello'],
      ['events'],
      ['feedback', 'ls'],
      ['spawn', '1'],
    ]
    for (const args of commands) {
      const { code, stderr } = await world.ao(args)
      expect({ args, code, stderr }).toEqual({ args, code: 5, stderr: expect.stringContaining('belongs to') })
    }
    expect(readdirSync(projectDir(), { recursive: true }).sort()).toEqual(before)
  })
})

it('says of an archived session that it is archived, and what works', async () => {
  await world.ao(['spawn', '--prompt', 'demo: say hello'])
  await world.ao(['session', 'kill', 'app-1', '--purge'])
  for (const args of [
    ['session', 'kill', 'app-1'],
    ['send', 'app-1', 'hello'],
    ['session', 'attach', 'app-1'],
  ]) {
    const { code, stderr } = await world.ao(args)
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('is archived') })
    expect(stderr).toContain('ao session restore app-1')
  }
})

it('lets everybody who starts the loop at the same time join the one that runs', async () => {
  for (let round = 0; round < 3; round++) {
    const port = 20_000 + Math.floor(Math.random() * 20_000)
    const started = await Promise.all(
      Array.from({ length: 5 }, () => world.json<{ pid: number }>(['start'], { env: { AO_PORT: String(port) } })),
    )
    expect(started.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1)
    expect(await world.ao(['stop'])).toMatchObject({ code: 0 })
  }
  expect(existsSync(projectDir())).toBe(true)
})
