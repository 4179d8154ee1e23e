import { join } from 'node:path'
import { plugin } from '../../src/plugins/runtime-process/index.ts'
import { describeRuntime } from './runtime-suite.ts'

const file = join(import.meta.dirname, '../../src/plugins/runtime-process/index.ts')

describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u001d' })
