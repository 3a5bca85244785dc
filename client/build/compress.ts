/** Vite plugin that writes a gzip copy of every script and style sheet. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const pack = promisify(gzip)

export function compress(): Plugin {
  return {
    name: 'millrace-compress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.values(bundle).filter(({ fileName }) => /\.(?:js|css)$/.test(fileName))
      await Promise.all(
        files.map(async (file) => {
          const content = file.type === 'chunk' ? file.code : file.source
          const level = constants.Z_BEST_COMPRESSION
          await writeFile(`${join(dir, file.fileName)}.gz`, await pack(content, { level }))
        }),
      )
    },
  }
}
