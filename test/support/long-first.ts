// The order of test files where no times are known yet, as in a fresh clone: the long ones first, so that none of them is
// left over at the end with nothing beside it.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Measured; the first that fits counts. What is not here comes after them, larger files first. */
const LONG = [
  'test/flow/crash-recovery',
  'test/contract/runtime-',
  'test/agh/daemon',
  'test/flow/acp-',
  'test/contract/workspace-',
  'test/store/concurrent-writers',
  'test/forges/',
  'test/e2e/',
  'test/flow/',
  'test/agh/',
  'test/contract/',
  'test/lifecycle/simulation',
  'src/plugins/runtime-',
  'test/',
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
