// The proof on a landed commit, signed with an ssh key: what a tampered note and a stranger's key amount to.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { createForge } from '../../src/forge/create-forge.ts'
import { verifyCommit } from '../../src/forge/proof/verify-commit.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import type { LocalForge } from '../../src/forge/types.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { readForgeOptions } from '../../src/plugins/scm-local/index.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

describe('a signed proof', () => {
  let world: ForgeWorld
  let forge: LocalForge
  let projectDir: string
  const lines: string[] = []
  beforeEach(async () => {
    world = createForgeWorld()
    const landing: ProjectConfig['landing'] = { mode: 'train', batch: 1, order: 'fifo', sign: true }
    forge = createForge({ ...world.project, landing }, readForgeOptions({}), world.context)
    projectDir = projectDirectory(world.context, world.project.id)
    lines.length = 0
  })
  afterEach(() => world.cleanup())

  const newKey = (name: string) => {
    const file = join(world.temp.home, name)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
    return file
  }
  const land = async (file: string) => {
    await world.push(`feat/${file}`, file, `${file}\n`)
    const { number } = await world.openPR({ branch: `feat/${file}`, title: `Add ${file}` })
    await world.review(number, { state: 'approved' })
    await runTrain({
      forge,
      projectDir,
      rule: { batch: 1, order: 'fifo', priority: [] },
      method: 'squash',
      collide: () => false,
      originOf: () => ({ agent: 'codex', model: 'gpt-x', costUsd: 1.5, issue: '7' }),
      signal: new AbortController().signal,
      say: (line) => void lines.push(line),
    })
    return world.git('rev-parse', 'main')
  }
  const verify = (commit: string) =>
    verifyCommit(forge, { directory: join(projectDir, 'landing'), commit, rerun: false })
  const signature = async (commit: string) =>
    (await verify(commit)).findings.filter(({ what }) => what === 'signature').map(({ proven, why }) => [proven, why])
  const note = (commit: string) => world.git('notes', '--ref=ao/proof', 'show', commit)
  const replace = (commit: string, text: string) => {
    const file = join(world.temp.home, 'note')
    writeFileSync(file, `${text}\n`)
    world.git('notes', '--ref=ao/proof', 'add', '--force', '-F', file, commit)
  }

  it('names who signed; a changed note, a copied one and a key that nobody trusts are shown as such', async () => {
    const own = newKey('own')
    world.git('config', '--global', 'user.signingkey', `${own}.pub`)
    world.git('config', '--global', 'user.email', 'sam@example.org')
    const commit = await land('a.txt')
    expect(lines.filter((line) => line.includes('signed'))).toEqual([])
    const [[proven, why]] = (await signature(commit)) as [[boolean, string]]
    expect([proven, why]).toEqual([true, expect.stringMatching(/^the note was signed by sam@example.org \(SHA256:/)])
    expect((await verify(commit)).findings.filter((one) => !one.proven)).toEqual([])
    expect((await verify(commit)).proof).toMatchObject({ commit, costUsd: null, changedChecks: [] })

    const whole = note(commit)
    replace(commit, whole.replace('"pull": 1', '"pull": 2'))
    expect(await signature(commit)).toEqual([[false, expect.stringContaining('changed afterwards')]])
    replace(commit, whole.slice(0, whole.indexOf('-----BEGIN')))
    expect(await signature(commit)).toEqual([[false, 'the note is not signed']])

    const twin = world.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'the same tree')
    replace(twin, whole)
    const copied = (await verify(twin)).findings.filter((one) => !one.proven).map(({ what }) => what)
    expect(copied).toEqual(['commit'])
    // Written anew for it, without a signature: the record of the pull request names another commit.
    const written = JSON.parse(whole.slice(0, whole.indexOf('-----BEGIN')))
    for (const of of [twin, undefined]) {
      replace(twin, JSON.stringify({ ...written, commit: of }))
      const unproven = (await verify(twin)).findings.filter((one) => !one.proven).map(({ what }) => what)
      expect(unproven).toEqual(['signature', 'commit'])
    }
    for (const odd of [{ pull: '../../1' }, { checks: [null] }, { approvals: [{}] }, { commit: 7 }, { from: [] }]) {
      replace(twin, JSON.stringify({ ...written, ...odd }))
      expect((await verify(twin)).findings).toEqual([expect.objectContaining({ what: 'proof', proven: false })])
    }

    replace(commit, whole)
    world.git('config', '--global', 'user.signingkey', `${newKey('other')}.pub`)
    expect(await signature(commit)).toEqual([[false, expect.stringContaining('not a key that you trust')]])
    const allowed = join(world.temp.home, 'allowed')
    writeFileSync(allowed, `team@example.org ${readFileSync(`${own}.pub`, 'utf8')}`)
    world.git('config', '--global', 'gpg.ssh.allowedSignersFile', allowed)
    expect(await signature(commit)).toEqual([[true, expect.stringContaining('team@example.org')]])
  })

  it("believes no key and no list of signers from the repository's own settings, which agents can write", async () => {
    world.git('config', '--global', 'user.signingkey', `${newKey('own')}.pub`)
    const commit = await land('a.txt')
    const evil = newKey('evil')
    const whole = note(commit)
    const changed = `${whole.slice(0, whole.indexOf('-----BEGIN')).replace('"pull": 1', '"pull": 2').trimEnd()}\n`
    const sign = ['-Y', 'sign', '-n', 'ao-proof', '-f', evil]
    const forged = execFileSync('ssh-keygen', sign, { input: changed, encoding: 'utf8', stdio: 'pipe' })
    replace(commit, `${changed}${forged.trimEnd()}`)
    const stranger = [[false, expect.stringContaining('not a key that you trust')]]
    expect(await signature(commit)).toEqual(stranger)
    world.git('config', 'user.signingkey', `${evil}.pub`)
    expect(await signature(commit)).toEqual(stranger)
    const allowed = join(world.temp.home, 'allowed')
    writeFileSync(allowed, `sam@example.org ${readFileSync(`${evil}.pub`, 'utf8')}`)
    world.git('config', 'gpg.ssh.allowedSignersFile', allowed)
    expect(await signature(commit)).toEqual(stranger)
    const included = join(world.temp.home, 'included')
    writeFileSync(included, `[gpg "ssh"]\n\tallowedSignersFile = ${allowed}\n`)
    world.git('config', '--unset', 'gpg.ssh.allowedSignersFile')
    world.git('config', 'include.path', included)
    expect(await signature(commit)).toEqual(stranger)
  })

  it('without a usable key it lands unsigned, and says so', async () => {
    const commit = await land('a.txt')
    expect(lines.join()).toContain('user.signingkey is not set')
    expect(await signature(commit)).toEqual([[false, 'the note is not signed']])
  })
})
