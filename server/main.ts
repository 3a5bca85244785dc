/** The program behind `npm start`. */
import { processEnvironment } from './config.ts'
import { runServer } from './run-server.ts'

void runServer(processEnvironment())
