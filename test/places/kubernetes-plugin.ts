// The kubernetes runtime as the runtime suite uses it: in the small cluster of the test, whose pods are processes of this machine.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin as kubernetes } from '../../src/plugins/runtime-kubernetes/index.ts'
import type { Plugin } from '../../src/slots/plugin.ts'

/** In another process, too: which cluster it is stands in a file of the test's home. */
export const plugin: Plugin<'runtime'> = {
  ...kubernetes,
  create(options, context) {
    const file = join(context.home, 'test-kubernetes.json')
    if (process.env.AO_TEST_KUBE) writeFileSync(file, process.env.AO_TEST_KUBE)
    return kubernetes.create({ ...options, ...JSON.parse(readFileSync(file, 'utf8')) }, context)
  },
}
