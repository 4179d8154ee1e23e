// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// What a project runs around its worktrees, and what it finds there: words about the session, and ports of its own.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

interface Spawned {
  session: { id: string; workspacePath: string }
}

function configure(lines: string[]): void {
  const base = ['projects:', '  app:', '    path: .', '    agent: generic', ...lines.map((line) => `    ${line}`)]
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), `${base.join('\n')}\n`)
}
const out = (name: string) => join(world.temp.home, name)
const linesOf = (name: string) => readFileSync(out(name), 'utf8').trim().split('\n')
const spawn = async (...args: string[]) => (await world.json<Spawned>(['spawn', ...args])).session

const WORKER = 'agentConfig: { command: [sh, -c, "echo precious > work.txt; exec sleep 600", "{prompt}"] }'

describe('a project with hooks', () => {
  it('knows session, branch, issue and its own ports before, while and after an agent works', async () => {
    const text = '$AO_SESSION $AO_BRANCH $AO_BASE_BRANCH ${AO_ISSUE:-none} $AO_SESSION_PORT $AO_SESSION_PORT_9'
    configure([
      `postCreate: ['echo "${text}" >> ${out('created')}']`,
      `preRemove: ['echo "${text} $(pwd)" >> ${out('removed')}', 'cat note.txt >> ${out('removed')}']`,
      `agentConfig: { command: [sh, -c, 'echo $BASE_URL > note.txt; exec sleep 600', "{prompt}"], env: { BASE_URL: "http://localhost:\${AO_SESSION_PORT}/\${AO_BRANCH}" } }`,
    ])
    await world.agree()
    const prompt = ['--prompt', 'go']
    const one = await spawn(...prompt)
    const two = await spawn('7', ...prompt)
    expect(linesOf('created')).toEqual([
      `${one.id} session/${one.id} main none 21000 21009`,
      `${two.id} feat/7 main 7 21010 21019`,
    ])
    await expect.poll(() => existsSync(join(two.workspacePath, 'note.txt')), { timeout: 20_000 }).toBe(true)

    const { rescue } = await world.json<{ rescue: string }>(['session', 'kill', two.id, '--purge', '--force'])
    expect(rescue).toContain('refs/ao/rescue')
    expect(linesOf('removed')).toEqual([
      `${two.id} feat/7 main 7 21010 21019 ${two.workspacePath}`,
      'http://localhost:21010/feat/7',
    ])
    // The ports of one that is gone are free; one that comes back gets its own or other free ones.
    const three = await spawn(...prompt)
    await world.ao(['session', 'restore', two.id])
    const ports = linesOf('created').map((line) => line.split(' ').at(-2))
    expect(ports).toEqual(['21000', '21010', '21010', '21020'])
    for (const id of [one.id, two.id, three.id]) await world.ao(['session', 'kill', id, '--purge', '--force'])
  })

  it('is told about a preRemove that fails or was not agreed to; the session is removed and its work is saved', async () => {
    configure(["preRemove: ['rm -rf *; exit 3', 'touch never']", WORKER])
    await world.agree()
    const session = await spawn('--prompt', 'go')
    await expect.poll(() => existsSync(join(session.workspacePath, 'work.txt')), { timeout: 20_000 }).toBe(true)
    const killed = await world.ao(['session', 'kill', session.id, '--purge', '--force'])
    expect(killed).toMatchObject({ code: 0, stderr: expect.stringContaining('its preRemove did not succeed') })
    expect(killed.stderr).toContain('failed with exit code 3')
    expect(existsSync(session.workspacePath)).toBe(false)
    expect((await world.ao(['session', 'show', session.id])).stdout).toContain('preRemove failed')
    const restored = await world.json<Spawned>(['session', 'restore', session.id])
    expect(readFileSync(join(restored.session.workspacePath, 'work.txt'), 'utf8')).toBe('precious\n')

    // Changed meanwhile, so nobody has agreed to it: it does not run, and the session goes all the same.
    configure([`preRemove: ['touch ${out('evil')}']`, WORKER])
    const again = await world.ao(['session', 'kill', session.id, '--purge', '--force'])
    expect(again.stderr).toContain('not agreed to')
    expect([again.code, existsSync(session.workspacePath), existsSync(out('evil'))]).toEqual([0, false, false])
  })
})
