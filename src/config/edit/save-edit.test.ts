// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { chmodSync, lstatSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { checkPlugins } from '../../plugins/check-plugins.ts'
import { loadConfig } from '../load-config.ts'
import { untrustedItems } from '../trust/trust.ts'
import type { ConfigChange } from './edit-text.ts'
import { planEdit, revisionOf } from './plan-edit.ts'
import { canUndo, type SaveContext, saveEdit, undoEdit } from './save-edit.ts'

const TEXT = 'projects: # ours\n  app:\n    path: .\n    postCreate: [make]\n'
const POST_CREATE: ConfigChange = { path: ['projects', 'app', 'preRemove'], value: ['make clean'] }
const BRANCH: ConfigChange = { path: ['projects', 'app', 'defaultBranch'], value: 'dev' }

let temp: TempHome
let context: SaveContext
const read = () => readFileSync(context.configPath, 'utf8')
const save = (changes: ConfigChange[], options: { revision?: string; agreed?: string[] } = {}) =>
  saveEdit(context, { changes, revision: revisionOf(read()), agreed: [], ...options })

beforeEach(() => {
  temp = createTempHome()
  const { home, env } = temp
  const files = { lock: join(home, '.ao/run/x.lock'), kept: join(home, '.ao/run/x.kept') }
  const configPath = join(home, 'agent-orchestrator.yaml')
  context = { configPath, home, env, ...files, checkPlugins, now: new Date(0) }
  writeFileSync(configPath, TEXT)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

describe('saving a change of the configuration', () => {
  it('writes it with the rights that the file had, and undoes it to the letter, step by step', async () => {
    chmodSync(context.configPath, 0o640)
    await save([BRANCH])
    expect(read()).toBe(`${TEXT}    defaultBranch: dev\n`)
    expect(statSync(context.configPath).mode & 0o777).toBe(0o640)
    await save([{ path: ['port'], value: 4000 }])
    expect(canUndo(context)).toBe(true)
    await undoEdit(context)
    await undoEdit(context)
    expect(read()).toBe(TEXT)
    expect(canUndo(context)).toBe(false)
    await expect(undoEdit(context)).rejects.toMatchObject({ code: 'CONFIG_CHANGED' })
  })

  it('changes the file behind a link, and the link stays', async () => {
    const behind = join(temp.home, 'dotfiles.yaml')
    renameSync(context.configPath, behind)
    chmodSync(behind, 0o600)
    symlinkSync(behind, context.configPath)
    await save([BRANCH])
    expect(lstatSync(context.configPath).isSymbolicLink()).toBe(true)
    expect(readFileSync(behind, 'utf8')).toContain('defaultBranch: dev')
    expect(statSync(behind).mode & 0o777).toBe(0o600)
  })

  it('loses nothing that somebody else wrote meanwhile', async () => {
    const revision = revisionOf(TEXT)
    writeFileSync(context.configPath, `${TEXT}# mine\n`)
    await expect(save([BRANCH], { revision })).rejects.toMatchObject({ code: 'CONFIG_CHANGED' })
    expect(read()).toBe(`${TEXT}# mine\n`)
    await save([BRANCH])
    writeFileSync(context.configPath, `${read()}# more\n`)
    await expect(undoEdit(context)).rejects.toMatchObject({ code: 'CONFIG_CHANGED' })
    expect(read()).toContain('# more')
  })

  it('lets one of two at once win and refuses the other', async () => {
    const revision = revisionOf(TEXT)
    const two = ['a', 'b'].map((name) => save([{ path: ['projects', 'app', 'name'], value: name }], { revision }))
    const states = (await Promise.allSettled(two)).map(({ status }) => status)
    expect(states.sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('needs consent to what it adds, and consents to nothing else', async () => {
    await expect(save([POST_CREATE])).rejects.toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    expect(read()).toBe(TEXT)
    const { consents } = await planEdit(context, [POST_CREATE])
    expect(consents.map(({ what }) => what)).toEqual(['project app runs before a worktree is removed: "make clean"'])
    await save([POST_CREATE], { agreed: consents.map(({ hash }) => hash) })
    const left = untrustedItems(loadConfig({ ...context, path: context.configPath }), context)
    // It was there before and nobody agreed to it.
    expect(left.map(({ what }) => what)).toEqual(['project app runs in every new worktree: "make"'])
  })

  it.each<[string, ConfigChange, string, RegExp]>([
    ['a wrong type', { path: ['port'], value: 'x' }, 'port', /must be a number/],
    ['an unknown key', { path: ['projects', 'app', 'brnch'], value: 'x' }, 'projects.app.brnch', /unknown key/],
    [
      'a plugin that does not exist',
      { path: ['projects', 'app', 'agent'], value: 'nobody' },
      'projects.app.agent',
      /there is no agent plugin/,
    ],
    [
      'an option that is missing',
      { path: ['notifiers', 'n'], value: { plugin: 'slack' } },
      'notifiers.n.webhookUrl',
      /missing/,
    ],
    [
      'a variable that is not set',
      { path: ['projects', 'app', 'repo'], value: '${NOT_SET_X}' },
      'projects.app.repo',
      /not set/,
    ],
    ['the last project', { path: ['projects', 'app', 'path'] }, 'projects.app.path', /is missing/],
    [
      'a word that stands for a hidden secret',
      { path: ['dashboard', 'token'], value: '[hidden]' },
      'dashboard.token',
      /is hidden/,
    ],
  ])('is refused for %s, with its key', async (_, change, key, message) => {
    const { problems } = await planEdit(context, [change])
    expect(problems).toMatchObject([{ key, message: expect.stringMatching(message) }])
    await expect(save([change])).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(read()).toBe(TEXT)
  })

  it('leaves secrets in the environment, and warns of those that would be plain text', async () => {
    writeFileSync(context.configPath, `${TEXT}dashboard: { token: "\${AO_T}" }\n`)
    context.env.AO_T = 'a-token-of-sixteen'
    const literal: ConfigChange = { path: ['dashboard', 'token'], value: 'another-of-sixteen' }
    expect((await planEdit(context, [literal])).problems).toMatchObject([{ key: 'dashboard.token' }])
    writeFileSync(context.configPath, TEXT)
    const plan = await planEdit(context, [literal])
    expect(plan.warnings).toEqual([expect.stringContaining('plain text')])
    expect(JSON.stringify(plan.rows)).not.toContain('another-of-sixteen')
  })
})
