// Ways to leave a working tree that must all survive its removal. Each starts from the files below.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'

export const START_FILES: Record<string, string> = {
  'README.md': '# sample\n',
  'src/a.txt': 'one\ntwo\nthree\n',
  'src/b.txt': 'b\n',
  'run.sh': '#!/bin/sh\n',
  '.gitignore': '*.log\n/build/\n',
  '.gitattributes': '*.txt text=auto\n*.nb filter=strip\n',
}

export interface DirtyState {
  name: string
  make(path: string, git: (...args: string[]) => string): void
}

const write = (path: string, name: string, content: string | Buffer) => {
  mkdirSync(join(path, name, '..'), { recursive: true })
  writeFileSync(join(path, name), content)
}

export const DIRTY_STATES: DirtyState[] = [
  { name: 'an edit that is not staged', make: (p) => write(p, 'src/a.txt', 'changed\n') },
  {
    name: 'an edit that is staged',
    make: (p, git) => {
      write(p, 'src/a.txt', 'staged\n')
      git('add', '-A')
    },
  },
  {
    name: 'a staged edit with another one on top',
    make: (p, git) => {
      write(p, 'src/a.txt', 'staged\n')
      git('add', '-A')
      write(p, 'src/a.txt', 'staged\nand more\n')
    },
  },
  {
    name: 'a staged file that was deleted afterwards',
    make: (p, git) => {
      write(p, 'new.txt', 'only in the index\n')
      git('add', 'new.txt')
      rmSync(join(p, 'new.txt'))
    },
  },
  { name: 'an untracked file', make: (p) => write(p, 'new.txt', 'new\n') },
  {
    name: 'untracked directories beside ignored files',
    make: (p) => {
      write(p, 'docs/deep/er/note.md', 'note\n')
      write(p, 'docs/deep/other.md', '')
    },
  },
  { name: 'a deletion that is not staged', make: (p) => rmSync(join(p, 'src/b.txt')) },
  { name: 'a deletion that is staged', make: (_p, git) => void git('rm', '--quiet', 'src/b.txt') },
  {
    name: 'a file taken out of the index but kept',
    make: (_p, git) => void git('rm', '--quiet', '--cached', 'src/b.txt'),
  },
  { name: 'everything deleted', make: (p) => void START.map((name) => rmSync(join(p, name))) },
  { name: 'a mode change', make: (p) => chmodSync(join(p, 'run.sh'), 0o755) },
  {
    name: 'symbolic links, one of them to nowhere, one in place of a file',
    make: (p) => {
      symlinkSync('README.md', join(p, 'link'))
      symlinkSync('/nowhere/at all', join(p, 'broken'))
      rmSync(join(p, 'src/b.txt'))
      symlinkSync('a.txt', join(p, 'src/b.txt'))
    },
  },
  { name: 'a staged rename', make: (_p, git) => void git('mv', 'src/a.txt', 'moved.txt') },
  { name: 'an unstaged rename', make: (p) => renameSync(join(p, 'src'), join(p, 'lib')) },
  { name: 'binary content', make: (p) => write(p, 'blob.bin', Buffer.from([0, 255, 13, 10, 0, 26, 13, 13, 10])) },
  { name: 'a large untracked file', make: (p) => write(p, 'large.bin', Buffer.alloc(24 * 1024 * 1024, 'ab\r\n')) },
  {
    name: 'names with spaces, quotes, dashes, newlines, unicode and bytes that are no text',
    make: (p) => {
      for (const name of [
        '-rf',
        '--',
        ' lead',
        'trail ',
        'it"s',
        "it's",
        'tab\there',
        'line\nbreak',
        'back\\slash',
        'ünï-日本-🎉',
        '$(id)',
        '*',
        '#x',
        '!y',
      ]) {
        write(p, `odd/${name}`, `${name}\n`)
      }
      writeFileSync(Buffer.concat([Buffer.from(`${p}/odd/`), Buffer.from([0xff, 0xfe, 0x80])]), 'not utf-8\n')
    },
  },
  {
    name: 'a file in place of a directory and a directory in place of a file',
    make: (p) => {
      rmSync(join(p, 'src'), { recursive: true })
      write(p, 'src', 'now a file\n')
      rmSync(join(p, 'run.sh'))
      write(p, 'run.sh/inner', 'now a directory\n')
    },
  },
  {
    name: 'mixed line endings under text=auto',
    make: (p) => {
      write(p, 'src/a.txt', 'unix\nwindows\r\nunix\n')
      write(p, 'fresh.txt', 'all\r\nwindows\r\n')
    },
  },
  {
    name: 'a file whose clean filter throws content away',
    make: (p, git) => {
      git('config', 'filter.strip.clean', 'sed /secret/d')
      git('config', 'filter.strip.smudge', 'cat')
      write(p, 'data.nb', 'kept\nsecret output\n')
    },
  },
  {
    name: 'an edit that only its content shows, made while the index was written',
    make: (p, git) => {
      git('config', 'core.trustCtime', 'false')
      // The same size and time before and after: git reads such a file only when the index is not newer.
      const later = Math.floor(Date.now() / 1000) + 1
      utimesSync(join(p, 'src/b.txt'), later, later)
      git('add', 'src/b.txt')
      write(p, 'src/b.txt', 'y\n')
      utimesSync(join(p, 'src/b.txt'), later, later)
      while (Date.now() / 1000 < later + 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    },
  },
  {
    name: 'a merge with conflicts',
    make: (p, git) => {
      diverge(p, git)
      expectConflict(() => git('merge', '--no-edit', otherSide(p)))
      appendFileSync(join(p, 'src/a.txt'), 'half resolved\n')
    },
  },
  {
    name: 'a rebase that stopped at a conflict',
    make: (p, git) => {
      diverge(p, git)
      expectConflict(() => git('rebase', otherSide(p)))
    },
  },
  {
    name: 'a cherry-pick that stopped at a conflict',
    make: (p, git) => {
      diverge(p, git)
      expectConflict(() => git('cherry-pick', otherSide(p)))
      write(p, 'beside.txt', 'untracked\n')
    },
  },
  {
    name: 'a detached HEAD with a commit of its own',
    make: (p, git) => {
      git('checkout', '--quiet', '--detach')
      write(p, 'lonely.txt', 'committed nowhere else\n')
      git('add', '-A')
      git('commit', '--quiet', '-m', 'lonely')
    },
  },
  {
    name: 'another branch with an edit',
    make: (p, git) => {
      git('checkout', '--quiet', '-b', `agents/${basename(p)}`)
      write(p, 'idea.txt', 'idea\n')
      git('add', '-A')
      git('commit', '--quiet', '-m', 'idea')
      write(p, 'idea.txt', 'idea, better\n')
    },
  },
  {
    name: 'commits and an edit on top',
    make: (p, git) => {
      write(p, 'done.txt', 'done\n')
      git('add', '-A')
      git('commit', '--quiet', '-m', 'done')
      write(p, 'done.txt', 'done and more\n')
    },
  },
  {
    name: 'changes that git was told not to see',
    make: (p, git) => {
      git('update-index', '--assume-unchanged', 'src/a.txt')
      git('update-index', '--skip-worktree', 'src/b.txt')
      write(p, 'src/a.txt', 'hidden 1\n')
      write(p, 'src/b.txt', 'hidden 2\n')
    },
  },
  {
    name: 'a file that is only announced (add -N)',
    make: (p, git) => {
      write(p, 'soon.txt', 'soon\n')
      write(p, 'empty.txt', '')
      git('add', '-N', 'soon.txt')
      git('add', 'empty.txt')
    },
  },
  {
    name: 'files that git was told not to see and not to have',
    make: (p, git) => {
      git('update-index', '--skip-worktree', 'src/a.txt', 'src/b.txt')
      git('update-index', '--assume-unchanged', 'src/b.txt', 'README.md')
      rmSync(join(p, 'src'), { recursive: true })
    },
  },
  {
    name: 'a sparse checkout with an edit',
    make: (p, git) => {
      git('sparse-checkout', 'set', '--no-cone', '/*', '!/src/')
      write(p, 'README.md', 'edited\n')
    },
  },
  {
    name: 'a bisect that is under way',
    make: (p, git) => {
      for (const n of [1, 2, 3, 4]) {
        write(p, 'step.txt', `${n}\n`)
        git('add', '-A')
        git('commit', '--quiet', '-m', `step ${n}`)
      }
      git('bisect', 'start', 'HEAD', 'HEAD~4')
      write(p, 'note.txt', 'while looking\n')
    },
  },
  {
    name: 'a branch without a commit, and none of the old files',
    make: (p, git) => {
      git('checkout', '--quiet', '--orphan', `orphan-${basename(p)}`)
      git('rm', '--quiet', '-rf', '.')
      write(p, 'start.txt', 'start\n')
      git('add', 'start.txt')
      write(p, 'later.txt', 'later\n')
    },
  },
  {
    name: 'files whose own filter or line endings would change them, committed and not',
    make: (p, git) => {
      git('config', 'filter.lfs.clean', 'cat')
      git('config', 'filter.lfs.smudge', 'sed s/pointer/content/')
      git('config', 'filter.strip.clean', 'sed /secret/d')
      git('config', 'filter.strip.smudge', 'cat')
      write(p, '.gitattributes', '*.big filter=lfs\n*.dos text eol=crlf\n*.nb filter=strip\n')
      for (const name of ['tracked', 'fresh']) {
        write(p, `${name}.big`, 'pointer\n')
        write(p, `${name}.dos`, 'unix\n')
        write(p, `${name}.nb`, 'kept\n')
        if (name === 'tracked') git('add', '-A')
        if (name === 'tracked') git('commit', '--quiet', '-m', 'filtered')
      }
      // Git sees no change here, but there is one; it reads the file again, which is younger than what it staged.
      write(p, 'tracked.nb', 'kept\nsecret output\n')
      git('add', 'tracked.nb')
      write(p, 'tracked.nb', 'kept\nsecret output\n')
    },
  },
  {
    name: 'a file that only its filter changed, and that git does not read again',
    make: (p, git) => {
      git('config', 'filter.strip.clean', 'sed /secret/d')
      git('config', 'filter.strip.smudge', 'cat')
      write(p, '.gitattributes', '*.nb filter=strip\n')
      write(p, 'tracked.nb', 'kept\n')
      git('add', '-A')
      git('commit', '--quiet', '-m', 'filtered')
      for (const name of ['tracked', 'fresh']) {
        write(p, `${name}.nb`, 'kept\nsecret output\n')
        // Older than what is staged.
        utimesSync(join(p, `${name}.nb`), 1_700_000_000, 1_700_000_000)
      }
      git('add', '-A')
    },
  },
]

const START = Object.keys(START_FILES)

function diverge(path: string, git: (...args: string[]) => string): void {
  const branch = git('symbolic-ref', '--short', 'HEAD')
  git('checkout', '--quiet', '-b', otherSide(path))
  write(path, 'src/a.txt', 'one\ntheirs\nthree\n')
  git('commit', '--quiet', '-am', 'theirs')
  git('checkout', '--quiet', branch)
  write(path, 'src/a.txt', 'one\nours\nthree\n')
  git('commit', '--quiet', '-am', 'ours')
}

/** Worktrees of one repository share its branches. */
function otherSide(path: string): string {
  return `other-${basename(path)}`
}

function expectConflict(run: () => void): void {
  try {
    run()
  } catch {
    return
  }
  throw new Error('The command was expected to stop at a conflict')
}

/** Proof that a restored rebase continues. */
export function finishRebase(path: string, env: NodeJS.ProcessEnv): string {
  writeFileSync(join(path, 'src/a.txt'), 'one\nboth\nthree\n')
  execFileSync('git', ['add', '-A'], { cwd: path, env })
  execFileSync('git', ['-c', 'core.editor=true', 'rebase', '--continue'], { cwd: path, env, stdio: 'pipe' })
  return execFileSync('git', ['log', '--format=%s', '-3'], { cwd: path, env, encoding: 'utf8' }).trim()
}
