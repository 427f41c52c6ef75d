python trainer
