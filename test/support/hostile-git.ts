// Everything that an agent, which shares the repository, can plant in its git data to have ao's git start programs. Each
// plant is a program of its own that leaves a mark. What changes content instead of starting programs is planted by the
// tests that compare the content.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from './git-repo.ts'

export interface HostileGit {
  /** Names of the plants whose programs have run. */
  fired(): string[]
  /** All plants, so that a test can show that one fires when git obeys it. */
  program(name: string): string
}

/** Hooks that git runs for commands of ours; those of creating a worktree are the user's to have. */
const HOOKS = [
  'applypatch-msg',
  'commit-msg',
  'fsmonitor-watchman',
  'post-commit',
  'post-index-change',
  'post-merge',
  'post-rewrite',
  'pre-auto-gc',
  'pre-commit',
  'pre-merge-commit',
  'pre-push',
  'pre-rebase',
  'prepare-commit-msg',
  'push-to-checkout',
  'reference-transaction',
]

const SETTINGS: ReadonlyArray<readonly [name: string, key: string, value?: (program: string) => string]> = [
  ['fsmonitor', 'core.fsmonitor'],
  ['ssh', 'core.sshCommand'],
  ['askpass', 'core.askPass'],
  ['proxy', 'core.gitProxy'],
  ['editor', 'core.editor'],
  ['sequence-editor', 'sequence.editor'],
  ['pager', 'core.pager'],
  ['pager-diff', 'pager.diff'],
  ['pager-log', 'pager.log'],
  ['alternate-refs', 'core.alternateRefsCommand'],
  ['credentials', 'credential.helper', (program) => `!${program}`],
  ['credentials-url', 'credential.https://example.org.helper', (program) => `!${program}`],
  ['external-diff', 'diff.external'],
  ['diff-command', 'diff.evil.command'],
  ['textconv', 'diff.evil.textconv'],
  ['merge-driver', 'merge.evil.driver', (program) => `${program} %A`],
  ['clean', 'filter.evil.clean'],
  ['smudge', 'filter.evil.smudge'],
  ['process', 'filter.evil2.process'],
  ['gpg', 'gpg.program'],
  ['gpg-ssh', 'gpg.ssh.program'],
  ['default-key', 'gpg.ssh.defaultKeyCommand'],
  ['upload-pack', 'remote.origin.uploadpack'],
  ['receive-pack', 'remote.origin.receivepack'],
  ['alias-status', 'alias.status', (program) => `!${program}`],
  ['alias-st', 'alias.st', (program) => `!${program}`],
  ['trailer', 'trailer.evil.command'],
  ['diff-filter', 'interactive.diffFilter'],
  ['gc', 'gc.recentObjectsHook'],
  ['pack-objects', 'uploadpack.packObjectsHook'],
  ['submodule', 'submodule.evil.update', (program) => `!${program}`],
]

const SWITCHES: ReadonlyArray<readonly [key: string, value: string]> = [
  ['filter.evil.required', 'true'],
  ['log.showSignature', 'true'],
  ['commit.gpgSign', 'true'],
  ['tag.gpgSign', 'true'],
  ['protocol.ext.allow', 'always'],
  ['protocol.allow', 'always'],
  ['submodule.recurse', 'true'],
  ['gc.auto', '1'],
]

export function plantHostileGit(repo: string, home: string, env: NodeJS.ProcessEnv): HostileGit {
  const marks = join(home, 'fired')
  const programs = join(home, 'planted')
  mkdirSync(marks)
  mkdirSync(programs)
  const program = (name: string) => {
    const file = join(programs, name)
    // As a filter it passes on what it gets, so that nothing else fails.
    writeFileSync(file, `#!/bin/sh\n: > '${join(marks, name)}'\ncat 2>/dev/null\nexit 0\n`)
    chmodSync(file, 0o755)
    return file
  }
  const common = join(repo, '.git')
  mkdirSync(join(common, 'info'), { recursive: true })
  appendFileSync(join(common, 'info', 'attributes'), '* filter=evil diff=evil merge=evil\n*.md filter=evil2\n')
  const hooks = join(common, 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of HOOKS) {
    writeFileSync(join(hooks, name), `#!/bin/sh\n: > '${join(marks, `hook-${name}`)}'\n`, { mode: 0o755 })
  }
  const included = join(home, 'included')
  for (const [name, key, value] of SETTINGS) {
    git(repo, env, 'config', key, (value ?? ((file) => file))(program(name)))
    git(repo, env, 'config', '--file', included, key, (value ?? ((file) => file))(program(`included-${name}`)))
  }
  for (const [key, value] of SWITCHES) git(repo, env, 'config', key, value)
  git(repo, env, 'config', 'include.path', included)
  return { fired: () => (existsSync(marks) ? readdirSync(marks).sort() : []), program }
}
