// A session with several pull requests on forges elsewhere, through the real plugins: its record has all of them, and it is over when
// all of them are.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { planCleanup } from '../../src/manager/remove/cleanup.ts'
import { createLoopWorld, type LoopWorld } from '../lifecycle/loop-world.ts'
import { forgejoScmWorld } from './forgejo-world.ts'
import type { HostedWorld } from './git-remote.ts'
import { githubScmWorld } from './github-world.ts'
import { gitlabScmWorld } from './gitlab-world.ts'
import { type Forge, startForge } from './start-forge.ts'

vi.setConfig({ testTimeout: 120_000 })

const FORGES = {
  github: { script: 'github-server.mjs', create: githubScmWorld },
  gitlab: { script: 'gitlab-server.mjs', create: gitlabScmWorld },
  forgejo: { script: 'forgejo-server.mjs', create: forgejoScmWorld },
}

describe.each(Object.entries(FORGES))('two pull requests of a session on %s', (_name, { script, create }) => {
  let forge: Forge
  let world: HostedWorld
  let loop: LoopWorld
  beforeAll(async () => {
    forge = await startForge(script)
  }, 60_000)
  afterEach(async () => {
    await loop.cleanup()
    await world.cleanup()
  })
  afterAll(() => forge?.stop())

  it('are both read, the one that needs somebody decides, and the session ends with the last', async () => {
    world = await create(forge)
    const { scm, project } = world
    const open = async (name: string) => {
      const head = await world.push(`feat/${name}`, `${name}.txt`, `${name}\n`)
      return { head, pr: await world.openPR({ branch: `feat/${name}`, title: name }) }
    }
    const [one, two] = [await open('one'), await open('two')]
    loop = await createLoopWorld({
      scm: {
        readPullRequests: (queries) => scm.readPullRequests!(queries, project),
        getPRState: (pr) => scm.getPRState(pr, project),
        getCheckLog: (pr, check) => scm.getCheckLog!(pr, check, project),
      },
    })
    const id = await loop.spawn()
    const record = () => loop.store.read(id)!.record
    await loop.store.update(id, { pr: two.pr.url, prs: [one.pr.url, two.pr.url] })
    await world.check('feat/one', 'unit', 'failed', 'boom\n')
    await world.check('feat/two', 'unit', 'passed')
    await loop.tick()
    expect([loop.status(id), record().pr]).toEqual(['ci_failed', one.pr.url])
    expect(record().otherPulls).toMatchObject([{ url: two.pr.url, ci: 'passing', head: two.head, branch: 'feat/two' }])
    const texts = loop.store.readHistory(id).events.flatMap((e) => (e.type === 'message.queued' ? [e.text] : []))
    expect(texts.find((text) => text.startsWith('CI failed'))).toContain(`#${one.pr.number} at commit`)

    await world.check('feat/one', 'unit', 'passed')
    await scm.mergePR!(one.pr, { sha: one.head }, project)
    await loop.tick()
    expect([loop.status(id), record().pr]).toEqual(['review_pending', two.pr.url])
    expect(record().otherPulls).toMatchObject([{ url: one.pr.url, state: 'merged' }])
    const actions = async () => (await planCleanup(loop.loop.context)).map(({ action }) => action)
    expect(await actions()).toEqual(['skip'])

    await scm.mergePR!(two.pr, { sha: two.head }, project)
    await loop.tick()
    expect(loop.status(id)).toBe('merged')
    expect(await actions()).toEqual(['remove'])
  })
})
