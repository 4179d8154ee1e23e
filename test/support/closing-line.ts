// CI reads the last line "N passed, N failed": one that every reader understands. `scripts/test.mjs` reads what failed.
import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

interface Failure {
  file: string
  test: string
  why: string
}

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const failures = modules.flatMap(failuresOf)
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const { state } = test.result()
      if (state === 'passed' || state === 'failed' || state === 'skipped') counts[state]++
    }
    counts.failed += failures.filter(({ test }) => test === '').length
    const file = process.env.AO_TEST_RESULT
    if (file !== undefined) writeFileSync(file, JSON.stringify({ ...counts, failures }))
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }
}

function failuresOf(module: TestModule): Failure[] {
  const file = module.relativeModuleId
  const why = (errors: ReadonlyArray<{ message: string }> | undefined) =>
    (errors ?? []).map(({ message }) => message).join('\n')
  const tests = [...module.children.allTests('failed')].map((test) => {
    return { file, test: test.fullName, why: why(test.result().errors) }
  })
  // Of the file itself, or of what is set up around its tests.
  const around = [module, ...module.children.allSuites()].flatMap((one) => one.errors())
  return around.length === 0 ? tests : [...tests, { file, test: '', why: why(around) }]
}
