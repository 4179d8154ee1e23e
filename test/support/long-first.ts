// The order of test files where no times are known yet, as in a fresh clone: the long ones first, so that none of them is
// left over at the end with nothing beside it.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Measured; the first that fits counts. What is not here comes after them, larger files first. */
const LONG = [
  'test/contract/runtime-',
  'test/flow/crash-recovery',
  'test/flow/edited-record',
  'test/flow/two-versions',
  'test/flow/shared-tasks',
  'test/flow/waiting-sessions',
  'test/e2e/',
  'test/agh/daemon',
  'test/contract/workspace-',
  'test/package/',
  'test/flow/held-messages',
  'test/landing/hosted-train',
  'test/flow/local-forge',
  'test/walk/',
  'test/flow/acp-',
  'test/agh/cli',
  'test/flow/gh-',
  'test/contract/scm-github',
  'test/forges/',
  'test/flow/',
  'test/lifecycle/simulation',
  'test/agh/',
  'test/contract/',
  'test/manager/',
  'test/',
  'src/plugins/runtime-',
  'src/http/limit-connections',
]

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .map((file, index) => ({ file, index, rank: rankOf(file.moduleId) }))
      .sort((a, b) => a.rank - b.rank || a.index - b.index)
      .map(({ file }) => file)
  }
}

function rankOf(path: string): number {
  const found = LONG.findIndex((part) => path.includes(`/${part}`))
  return found === -1 ? LONG.length : found
}
