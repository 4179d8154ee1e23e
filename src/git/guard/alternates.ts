// Object directories for one git command: where it writes, and where else it reads.

export function objectEnv(directory: string, others: readonly string[]): Record<string, string> {
  return { GIT_OBJECT_DIRECTORY: directory, GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quote).join(':') }
}

/** git splits the list at colons, unless an entry is in C quotes. */
function quote(path: string): string {
  return /[:"\n\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path
}
