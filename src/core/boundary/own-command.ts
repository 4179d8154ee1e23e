// `ao-foo` on PATH is `ao foo`, unless an agent can have put it there. Pure.

/** One directory above a program, or the program's own. */
export interface DirectoryAbove {
  path: string
  /** What `.git` in it is: a repository, or a link to one, as a worktree has; null: there is none. */
  git: 'directory' | 'file' | null
  /** It has the `.ao` of a session. */
  hasSessionFiles: boolean
}

/** The name of the program for a word; null: no word of a command. */
export function ownCommandName(word: string): string | null {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(word) ? `ao-${word}` : null
}

/** Why it is not run; null: it is. `above` with links resolved, of the entry on PATH and of the file itself. */
export function refuseOwnCommand(above: readonly DirectoryAbove[], cwd: string): string | null {
  for (const { path, git, hasSessionFiles } of above) {
    if (git === null) continue
    if (git === 'file' || hasSessionFiles) return `it is in the worktree ${path}, where agents write`
    if (cwd === path || cwd.startsWith(`${path}/`)) return `it is in the repository ${path} that you are in`
  }
  return null
}
