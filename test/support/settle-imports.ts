// In every test file: it ends when nothing is being loaded, because what is cut off there fails to load in the worker's next file.
import { afterAll, vi } from 'vitest'

afterAll(() => vi.dynamicImportSettled())
