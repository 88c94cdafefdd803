package runner_test

const childDir = "PRAX_TEST_RUNNER_DIR"

func child(string) int { return 0 }
