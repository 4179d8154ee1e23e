// The program that is sent to places contains what it imports, so it must not reach the forges and their HTTP client.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

function reach(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g))
    reach(join(dirname(file), path!), seen)
  return seen
}

it('the host beside an agent brings agents along, and no plugin that talks to a server', () => {
  const files = [...reach(join(import.meta.dirname, 'place-host.ts'))].map((file) =>
    file.replace(`${import.meta.dirname}/`, ''),
  )
  expect(files).toContain('agent-claude-code/index.ts')
  expect(
    files.filter((file) => /^(?:scm|tracker|notifier|runtime-(?:docker|kubernetes|ssh|slurm))-?/.test(file)),
  ).toEqual([])
})
