// A world of real work: a directory with a library as it was, and the patches of people who each added a feature to that very
// commit. The data stay where they are; tasks.json says how to run their tests.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { commitBase, type Feature, git, takePatch } from './workload.ts'

export interface Task {
  check: string
  /** The test file that every feature extends: each gets a copy of its own, so that tests do not collide. */
  tests: string
}

/** A `task.json` in the directory itself comes first. */
export function readTask(directory: string): Task {
  const own = join(directory, 'task.json')
  if (existsSync(own)) return JSON.parse(readFileSync(own, 'utf8')) as Task
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'tasks.json'), 'utf8')) as Record<string, Task>
  const task = known[basename(directory)]
  if (task === undefined)
    throw new Error(`${directory} has no task.json, and tasks.json does not know ${basename(directory)}`)
  return task
}

export function createRealWorld(repo: string, patches: string, directory: string): Feature[] {
  const { tests } = readTask(directory)
  execFileSync('tar', ['-xzf', join(directory, 'base.tar.gz'), '-C', repo])
  commitBase(repo)
  const numbers = readdirSync(directory).flatMap((name) => /^(\d+)\.feature\.patch$/.exec(name)?.[1] ?? [])
  return numbers.sort().map((number) => {
    const id = `f${number}`
    const marker = tests.replace(/(\.\w+)$/, `_${id}$1`)
    const patch = join(patches, `${id}.patch`)
    takePatch(repo, patch, () => {
      git(repo, 'apply', join(directory, `${number}.tests.patch`))
      renameSync(join(repo, tests), join(repo, marker))
      git(repo, 'checkout', '--quiet', '--', tests)
      git(repo, 'apply', join(directory, `${number}.feature.patch`))
    })
    return { id, title: `Feature ${number} of ${basename(directory)}`, patch, marker }
  })
}
