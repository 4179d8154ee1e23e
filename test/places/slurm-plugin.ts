// The slurm runtime as the runtime suite uses it: in a cluster of the test's own, whose nodes are this machine.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin as slurm } from '../../src/plugins/runtime-slurm/index.ts'
import type { Plugin } from '../../src/slots/plugin.ts'

/** In another process, too: which cluster it is stands in a file of the test's home. */
export const plugin: Plugin<'runtime'> = {
  ...slurm,
  create(options, context) {
    const file = join(context.home, 'test-cluster')
    if (process.env.AO_TEST_CLUSTER) writeFileSync(file, process.env.AO_TEST_CLUSTER)
    const env = { ...context.env, SLURM_CONF: readFileSync(file, 'utf8') }
    return slurm.create({ ...options, partition: 'dev', time: '0:10:00' }, { ...context, env })
  },
}
