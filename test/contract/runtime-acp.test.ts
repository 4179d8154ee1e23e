import { join } from 'node:path'
import { plugin } from '../../src/plugins/runtime-acp/index.ts'
import { overAcp } from './acp-under-test.ts'
import { describeRuntime } from './runtime-suite.ts'

const file = join(import.meta.dirname, '../../src/plugins/runtime-acp/index.ts')

describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u0003', speaksAcp: overAcp() })
