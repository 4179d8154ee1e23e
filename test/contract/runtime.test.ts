import { plugin as processRuntime } from '../../src/plugins/runtime-process/index.ts'
import { plugin as tmux } from '../../src/plugins/runtime-tmux/index.ts'
import { describeRuntime } from './runtime-suite.ts'

describeRuntime({ plugin: tmux, missingCommand: 'ends' })
describeRuntime({ plugin: processRuntime, missingCommand: 'refused' })
