// CI reads the last line "N passed, N failed": one that every reader understands. Before it, what passed only at the second try.
import type { Reporter, TestCase, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const state = test.result().state
        if (test.diagnostic()?.flaky) console.log(describeUnstable(module, test))
        if (state === 'passed' || state === 'failed' || state === 'skipped') counts[state]++
      }
      if (module.errors().length > 0) counts.failed++
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }
}

/** With how it failed: a property that seldom fails is a defect as well. */
function describeUnstable({ relativeModuleId }: TestModule, test: TestCase): string {
  const why = (test.result().errors ?? []).map(({ message }) => message).join('\n')
  return `Unstable: ${relativeModuleId} > ${test.fullName}\n${why}`
}
